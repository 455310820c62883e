"""Pages: reports as HTML files; data becomes frozen views, views are drawn by templates."""
