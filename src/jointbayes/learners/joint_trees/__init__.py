"""Trees grown for all labels together: columns as bytes, rows in bags, and leaves that count."""
