"""Arrays and strings as C reads them."""

from mddag.serving.export.c_literals import listed, quoted


def test_strings_hold_bytes_of_utf8_and_no_underscore():
    assert quoted('a"b\\ü_') == '"a\\042b\\134\\303\\274\\137"'


def test_arrays_have_a_few_entries_on_each_line():
    text = listed("int8_t", "three", ["1", "2", "3"], per_line=2)
    assert text == "static const int8_t model_three[3] = {\n  1, 2,\n  3};\n"
