"""Where tables come from and go to: files, frames and engines."""
