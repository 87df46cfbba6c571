export const signIn = {
  title: 'Sign in',
  lead: 'Monitor and control your diffusers.',
  email: 'Email',
  password: 'Password',
  submit: 'Sign in',
  failed: 'Incorrect email or password',
  sessionEnded: 'Your session has ended. Sign in again to continue; your unsaved changes are kept for you.',
  tooManySessions:
    'You are signed in on too many other devices, and this session was unused for the longest time. Sign in again to continue; your unsaved changes are kept for you.',
  mailboxLead: 'This demo sends no email.',
  mailbox: 'Open the demo mailbox',
} as const;
