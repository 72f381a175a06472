from slug import slugify


def test_plain_words():
    assert slugify("Hello World") == "hello-world"


def test_punctuation_is_dropped():
    assert slugify("What's new, really?") == "whats-new-really"


def test_blanks_are_not_doubled():
    assert slugify("two  blanks") == "two-blanks"
