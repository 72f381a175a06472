from gemcli.cli import entry

entry()
