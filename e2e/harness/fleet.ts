import type { APIRequestContext } from '@playwright/test';
import type { DeviceDetail, DeviceList, DeviceNotification, DeviceView } from '../../web/src/api/schema.gen';

type Wanted = (device: DeviceView) => boolean;

/** The demo's devices at the start, by dsn. Tests may change only devices in the second half that they claimed. */
export class Fleet {
  private readonly claimed = new Set<DeviceView>();
  /** Pulled out again, in this order. */
  private readonly pulledOut: DeviceView[] = [];

  private constructor(
    readonly devices: readonly DeviceView[],
    private readonly unplugged: readonly string[],
  ) {}

  static async read(api: APIRequestContext, unplugged: readonly string[]): Promise<Fleet> {
    return new Fleet(await readDevices(api), unplugged);
  }

  of(csp: string | null): DeviceView[] {
    return this.devices.filter((device) => device.csp === csp);
  }

  /** A device that no test changes. */
  find(wanted: Wanted): DeviceView {
    return first(this.devices.slice(0, this.middle), wanted);
  }

  /** An online device that only this test changes: one that no test has had, or the one claimed longest ago. */
  claim(wanted: Wanted = () => true): DeviceView {
    return this.take((device) => isOnline(device) && wanted(device));
  }

  /** A device that is not simulated, for a test to plug in: one that no test has had, or the one pulled out longest ago. */
  claimUnplugged(): DeviceView {
    const isUnclaimed = (device: DeviceView) => !this.claimed.has(device) && this.unplugged.includes(device.dsn);
    if (this.devices.some(isUnclaimed)) return this.take(isUnclaimed);
    const device = this.pulledOut.shift();
    if (!device) throw new Error('no unplugged device is free');
    return device;
  }

  /** Gives an unplugged device back. */
  release(device: DeviceView): void {
    this.pulledOut.push(device);
  }

  private take(wanted: Wanted): DeviceView {
    const free = this.devices.slice(this.middle).filter((device) => !this.claimed.has(device));
    const device = first([...free, ...this.claimed], wanted);
    this.claimed.delete(device);
    this.claimed.add(device);
    return device;
  }

  private get middle(): number {
    return this.devices.length / 2;
  }
}

function first(devices: readonly DeviceView[], wanted: Wanted): DeviceView {
  const device = devices.find(wanted);
  if (!device) throw new Error('no free device of the fleet is like that');
  return device;
}

export function isOnline({ connectionStatus }: DeviceView): boolean {
  return connectionStatus === 'Online';
}

/** The current devices that the caller sees. */
export async function readDevices(api: APIRequestContext): Promise<DeviceView[]> {
  const devices: DeviceView[] = [];
  for (let page = 1; ; page += 1) {
    const params = { page, pageSize: 50, orderBy: 'dsn', order: 'asc' };
    const list: DeviceList = await (await api.get('/api/devices', { params })).json();
    devices.push(...list.devices);
    if (devices.length >= list.total) return devices;
  }
}

/** The recipients of the device's notifications. */
export async function readNotifications(api: APIRequestContext, dsn: string): Promise<DeviceNotification[]> {
  const answer = await api.get(`/api/devices/dsns/${dsn}/notifications`);
  if (!answer.ok()) throw new Error(`${dsn} was answered with ${answer.status()}`);
  return answer.json();
}

/** The current device from the console's API. */
export async function readDevice(api: APIRequestContext, dsn: string): Promise<DeviceDetail> {
  const answer = await api.get(`/api/devices/dsns/${dsn}`);
  if (!answer.ok()) throw new Error(`${dsn} was answered with ${answer.status()}`);
  return answer.json();
}
