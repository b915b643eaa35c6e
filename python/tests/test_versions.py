"""Which servers go with this package."""

import unittest

import project  # noqa: F401

from ez_debugger import __version__
from ez_debugger.protocol import Attached, Initialized
from ez_debugger.protocol.versions import _series, misfit


class Versions(unittest.TestCase):
    def test_what_goes_together_has_the_same_numbers_in_front(self):
        for one, other, together in (("0.1.0", "0.1.9", True), ("0.1.0", "0.2.0", False), ("1.2.3", "1.9.0", True),
                                     ("1.0.0", "2.0.0", False), ("0.9.0", "1.0.0", False)):
            with self.subTest(one=one, other=other):
                self.assertEqual(_series(one) == _series(other), together)

    def test_a_server_of_this_version(self):
        self.assertIsNone(misfit(Initialized(protocol_version=2, version=__version__)))
        self.assertIsNone(misfit(Attached(protocol_version=2, version=__version__)))

    def test_others_are_named_with_both_versions(self):
        new = misfit(Initialized(protocol_version=2, version="99.0.0"))
        self.assertEqual(new, f"too new: it is ez 99.0.0, and ez_debugger is {__version__}"
                              " (a newer ez_debugger is needed)")
        old = misfit(Initialized(protocol_version=2, version="0.0.1"))
        self.assertEqual(old, f"too old: it is ez 0.0.1, and ez_debugger is {__version__}")
        silent = misfit(Initialized(protocol_version=2))
        self.assertEqual(silent, f"too old: it does not tell its version, and ez_debugger is {__version__}")
        self.assertIn("first version of the protocol", misfit(Initialized()))
        strange = misfit(Initialized(protocol_version=2, version="junk"))
        self.assertEqual(strange, "not one that this package knows: it says that its version is 'junk'")


if __name__ == "__main__":
    unittest.main()
