"""Results come in, pictures go out; matplotlib is imported when a picture is drawn.

Start with ``plotting``."""
