"""What privacy costs an application, and how many people it needs."""
