"""How a setting is declared, parsed and documented."""
