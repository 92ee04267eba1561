"""PyFlink's ``pyflink.util``: ways into its JVM, which are refused, and its exceptions."""
