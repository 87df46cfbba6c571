import { useQuery } from '@tanstack/react-query';
import { allCspsQuery } from '@/api/csps';
import type { RoleChoice, User } from '@/api/schema.gen';
import { sessionQuery, useCan } from '@/api/session';
import { countriesQuery, named, type Offer, offer } from '@/form/offers';
import type { Choice } from '@/lib/choices';
import type { Country } from '@/lib/countries';

export interface UserOffers {
  /** The roles that the signed-in user may give, the least privileged last. */
  roles: readonly RoleChoice[];
  /** Undefined for who is not asked for the CSP. */
  csps: Offer<Choice> | undefined;
  countries: Offer<Country>;
}

/** What the fields of the form offer; undefined until it is known of each whether it can be read. */
export function useUserOffers(): UserOffers | undefined {
  const session = useQuery(sessionQuery).data;
  const seesCsp = useCan('csps.view');
  const csps = useQuery({ ...allCspsQuery, enabled: seesCsp });
  const countries = useQuery(countriesQuery);
  if (!session || !countries.isFetched || (seesCsp && !csps.isFetched)) return undefined;
  return {
    roles: session.roleChoices,
    csps: seesCsp ? offer(csps, named) : undefined,
    countries: offer(countries, (all) => all),
  };
}

/** The roles to choose from, with that of the person, which a reader may not give. */
export function roleChoices(roles: readonly RoleChoice[], user: User | undefined): Choice[] {
  const choices = roles.map(({ role, roleName }) => ({ value: role, label: roleName }));
  const stored = user?.role && !roles.some(({ role }) => role === user.role);
  return stored ? [...choices, { value: user.role ?? '', label: user.roleName ?? '' }] : choices;
}

/** Whether a role is bound to a CSP. */
export function needsCsp(roles: readonly RoleChoice[], name: string): boolean {
  return roles.some(({ role, needsCsp }) => role === name && needsCsp);
}
