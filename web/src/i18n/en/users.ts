import { pages } from './pages';

/** The list of people. */
export const users = {
  title: pages.users,
  failed: 'Failed to load users',
  noMatch: 'No user matches the filters.',
  noRows: 'Users appear here once they are invited.',
  filterTitle: 'Filter users',
  emailFilter: 'Filter by email',
  anyConfirmed: 'Confirmed or not',
  invite: 'Invite User',
  columns: {
    created_at: 'Date added',
    firstname: 'First',
    lastname: 'Last',
    email: 'Email',
    company: 'Company',
    businessrole: 'Business Role',
    phone: 'Phone',
    csp: 'CSP Name',
    role: 'Role',
    confirmed: 'Confirmed',
  },
  yes: 'Yes',
  no: 'No',
  notConfirmed: 'Not confirmed',
  noRole: 'No role',
  resend: 'Resend',
  resendTo: (email: string) => `Resend confirmation email to ${email}`,
  resent: 'Successfully resent confirmation email',
  resendFailed: 'User already confirmed',
};
