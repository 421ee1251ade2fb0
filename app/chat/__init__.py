"""Conversations: messages, attachments, the file they are kept in, an answer as it grows. No Qt, no process;
imports ``settings`` and what lies below.
"""
