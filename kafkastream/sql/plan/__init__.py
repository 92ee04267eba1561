"""Plan of a query: relations, and operations with state. The engine reads nothing else of ``sql``'s queries."""
