import { useQuery } from '@tanstack/react-query';
import { allCspsQuery } from '@/api/csps';
import type { RoleChoice, User } from '@/api/schema.gen';
import { sessionQuery, useCan } from '@/api/session';
import type { Choice } from '@/domain/choices';
import type { Country } from '@/domain/countries';
import { countriesQuery, type LoadedChoices, loadedChoices, named } from '@/form/loaded-choices';

export interface UserFormChoices {
  /** The roles that the signed-in user may grant, least privileged last. */
  roles: readonly RoleChoice[];
  /** Undefined for users who do not choose the CSP. */
  csps: LoadedChoices<Choice> | undefined;
  countries: LoadedChoices<Country>;
}

/** The choices of the form's fields; undefined until all have been read or have failed. */
export function useUserFormChoices(): UserFormChoices | undefined {
  const session = useQuery(sessionQuery).data;
  const seesCsp = useCan('csps.view');
  const csps = useQuery({ ...allCspsQuery, enabled: seesCsp });
  const countries = useQuery(countriesQuery);
  if (!session || !countries.isFetched || (seesCsp && !csps.isFetched)) return undefined;
  return {
    roles: session.roleChoices,
    csps: seesCsp ? loadedChoices(csps, named) : undefined,
    countries: loadedChoices(countries, (all) => all),
  };
}

/** The roles to choose from, including the user's current role, which the signed-in user may not be able to grant. */
export function roleChoices(roles: readonly RoleChoice[], user: User | undefined): Choice[] {
  const choices = roles.map(({ role, roleName }) => ({ value: role, label: roleName }));
  const stored = user?.role && !roles.some(({ role }) => role === user.role);
  return stored ? [...choices, { value: user.role ?? '', label: user.roleName ?? '' }] : choices;
}

/** Whether a role belongs to a CSP. */
export function needsCsp(roles: readonly RoleChoice[], name: string): boolean {
  return roles.some(({ role, needsCsp }) => role === name && needsCsp);
}
