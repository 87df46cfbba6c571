/** The pages of who is not signed in, but for sign-in itself. */
export const auth = {
  navigation: 'Sign in and sign up',
  signIn: 'Sign in',
  signUp: {
    link: 'Sign Up',
    title: 'Sign Up',
    lead: 'Accounts are made for you.',
    who: 'Access is reserved for the channel service providers (CSPs) that work with our diffusers, and for our own staff.',
    how: 'Each CSP names an administrator, who invites its technicians. Ask the administrator of your CSP; an administrator asks us.',
    invited: 'You were invited by mail? Confirm your account with the token of that mail.',
    confirm: 'Confirm account',
  },
  forgotten: {
    link: 'Forgot password?',
    title: 'Reset password',
    lead: 'We send a reset token to the address of your account.',
    email: 'Email',
    submit: 'Send reset token',
    invalidEmail: 'Must be an email address',
    sentTitle: 'Reset token sent',
    sent: (email: string) =>
      `A reset token was sent to ${email}, if there is an account with that address. It may take a few minutes.`,
    set: 'Set Password',
  },
  newPassword: {
    title: 'Set password',
    lead: 'With the token that we sent you by mail.',
    token: 'Reset token',
    password: 'New password',
    confirmation: 'Confirm new password',
    submit: 'Set Password',
    done: 'Your password has been changed.',
  },
  confirm: {
    link: 'Confirm account',
    title: 'Confirm account',
    lead: 'With the token that we sent you by mail.',
    token: 'Confirmation token',
    submit: 'Confirm',
    done: 'Account Confirmed',
    invalid: 'Invalid Token',
  },
} as const;
