"""The model service: credentials, endpoints, requests, streamed answers, retries."""
