import type { User, UserList } from '../../web/src/api/schema.gen';
import type { People } from './people';
import type { Sillage } from './sillage';

/** The calls of the console's cloud that speak to nobody's browser. */
export class Guests {
  private token: string | undefined;

  constructor(
    private readonly system: Sillage,
    private readonly people: People,
  ) {}

  /** Makes a technician of this CSP who has not confirmed the address, and who stands in the list. */
  async invite(email: string, csp: string): Promise<User> {
    const user = {
      email,
      password: 'Correct-Horse-1',
      firstname: 'Gunnar',
      lastname: 'Guest',
      city: 'Oslo',
      country: 'NO',
    };
    const body = { user, role: 'OEM::ProlitecCommercial::CspTech', label: { partner_id: csp } };
    const { uuid } = await (await this.call('POST', 'api/v1/users/create_associated_user.json', body)).json();
    return (await (await this.people.api('admin')).post(`/api/users/${uuid}`)).json();
  }

  /** Confirms an address, as who follows the link of its mail. */
  async confirm(link: string): Promise<void> {
    await this.call('PUT', `users/confirmation.json?confirmation_token=${new URL(link).searchParams.get('token')}`);
  }

  private async call(method: string, path: string, body: object = {}): Promise<Response> {
    this.token ??= await this.adminsToken();
    const headers = { authorization: this.token, 'content-type': 'application/json' };
    const answer = await fetch(`${this.system.cloudProxy.url}/${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`the cloud answered ${answer.status} to ${method} ${path}`);
    return answer;
  }

  /** The token with which the console reads somebody for the administrator. */
  private async adminsToken(): Promise<string> {
    const api = await this.people.api('admin');
    const list: UserList = await (await api.get('/api/users')).json();
    const somebody = list.users[0]?.id;
    await api.post(`/api/users/${somebody}`);
    return this.system.cloudProxy.authorization(new RegExp(`^GET .*/users/${somebody}`));
  }
}
