"""The offline engine, held by sessions as people have them."""
