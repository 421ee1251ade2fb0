"""The pictures of a comparison. They know reports and colours, not the page."""
