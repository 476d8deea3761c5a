"""What memkit does: one plain function a stage, keyword arguments, a frozen result; nothing is printed here."""
