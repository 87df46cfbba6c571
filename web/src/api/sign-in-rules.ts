import { queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { RoleRuleForm, SignInRules } from './schema.gen';

export const signInRulesQuery = queryOptions({
  queryKey: ['sign-in-rules'],
  queryFn: ({ signal }) => call('GET /api/sign-in-rules', { signal }),
});

/** Changes the rule for the people of one role. */
export function updateSignInRules(body: RoleRuleForm): Promise<SignInRules> {
  return call('PUT /api/sign-in-rules', { body });
}
