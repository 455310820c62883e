"""Trims text as JavaScript does, which differs from `str.strip()`."""

# ECMA-262 WhiteSpace and LineTerminator. Python also strips U+001C-001F and U+0085, and keeps U+FEFF.
JS_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def js_trim(text: str) -> str:
    """Remove the white space at both ends, as `String.prototype.trim` does."""
    return text.strip(JS_SPACE)
