"""A joint model on top of what another classifier says of each label."""
