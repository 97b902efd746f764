"""HTML, PDF and DOCX as text with headings. Files come from strangers, so each is read in a process of its own."""
