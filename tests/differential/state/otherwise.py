"""What is given where PyFlink is not followed; docs/porting/where-pyflink-differs.md has the reasons."""

from __future__ import annotations

Answers = list[list[str]]

OTHERWISE: dict[tuple[str, str], Answers] = {
    ("for ever", "map_contains_none"): [["None"], ["True", "True"]],
    ("for ever", "map_put_all"): [["None"], ["[('a', None), ('bc', 0), ('d', 1)]"], ["None"]],
    ("for ever", "reducing_none"): [["None"], ["None"], ["None"], ["5"]],
    ("written", "list_of_none"): [["None"], ["[0, None, '']"], ["None", "[]"]],
    ("read", "r_after"): [["None"], ["None", "None", "1"]],
    ("read", "a_after"): [["None"], ["None", "None", "'[1]'"]],
    ("read", "map_of_none"): [
        ["None", "None", "[('a', None), ('b', 0)]", "False"],
        ["None", "None", "[('a', None), ('b', 0), ('c', 1)]"],
        ["None", "None", "True", "[('a', None), ('b', 0), ('c', 1)]", "['a', 'b', 'c']", "[0, 1, None]"],
        ["[('a', None), ('b', 0), ('c', 1)]", "False"],
        ["None", "False", "[]"],
    ],
    ("read", "map_contains_none"): [["None"], ["True"]],
    ("read", "list_of_none"): [["None"], ["[0, None, '']"], ["None", "[]"]],
    ("shown", "v_in_one"): [["None", "1", "None", "1", "None", "1", "None"]],
    ("shown", "v_in_several"): [["None"], ["None", "1"], ["None", "1"], ["None"]],
    ("shown", "l_in_one"): [["None", "[1]", "None", "[1]", "None", "[1]", "[]"]],
    ("shown", "l_in_several"): [["None"], ["None", "[1]"], ["None", "[1]"], ["[]"]],
    ("shown", "r_in_one"): [["None", "1", "None", "1", "None", "1", "None"]],
    ("shown", "r_in_several"): [["None"], ["None", "1"], ["None", "1"], ["None"]],
    ("shown", "a_in_one"): [["None", "'[1]'", "None", "'[1]'", "None", "'[1]'", "None"]],
    ("shown", "a_in_several"): [["None"], ["None", "'[1]'"], ["None", "'[1]'"], ["None"]],
    ("shown", "m_in_one"): [["None", "1", "None", "1", "None", "1", "None"]],
    ("shown", "m_in_several"): [["None"], ["None", "1"], ["None", "1"], ["None"]],
    ("shown", "map_of_none"): [
        ["None", "None", "[('a', None), ('b', 0)]", "False"],
        ["None", "None", "[('a', None), ('b', 0), ('c', 1)]"],
        ["None", "None", "True", "[('c', 1)]", "['c']", "[1]"],
        ["[('c', 1)]", "False"],
        ["None", "True", "[]"],
    ],
    ("shown", "map_contains_none"): [["None"], ["True"]],
    ("shown", "list_of_ages"): [["None"], ["None", "None", "[1, 2]"], ["None", "[1, 2]"], ["None", "[2]"]],
    ("read and shown", "map_of_none"): [
        ["None", "None", "[('a', None), ('b', 0)]", "False"],
        ["None", "None", "[('a', None), ('b', 0), ('c', 1)]"],
        ["None", "None", "True", "[('a', None), ('b', 0), ('c', 1)]", "['a', 'b', 'c']", "[0, 1, None]"],
        ["[('a', None), ('b', 0), ('c', 1)]", "False"],
        ["None", "True", "[('a', None), ('b', 0)]"],
    ],
    ("read and shown", "map_contains_none"): [["None"], ["True"]],
}
"""Of cases, by how they live and their name."""

WINDOWED_OTHERWISE: dict[str, list[str]] = {
    "state of both": [
        "('a', [100, 100], [[1], [2], [3], [4]], [])",
        "('a', [100, 200], [[5], [6], [7], [8]], [100])",
        "('b', [100, 100], [None], [])",
        "('b', [100, 200], [0], [100])",
    ],
}
"""Of windowed programs."""
