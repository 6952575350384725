import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { openLink } from '@fairlead/service-kit/testing/network';
import type { Link } from '@fairlead/service-kit/testing/network';

const run = promisify(execFile);

/** A network namespace with two interfaces: one to the platform, one to a server of its private network. */
export interface Namespace {
  /** Command prefix that runs a program inside it. */
  readonly prefix: readonly string[];
  /** Addresses, inside it, of the platform and of the private server. */
  readonly platformUrl: string;
  readonly serverUrl: string;
  /** Cuts the interface to the platform: packets are lost silently. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

async function ip(...args: readonly string[]): Promise<void> {
  await run('ip', args);
}

/** True if this process may create namespaces; otherwise the reason. */
export async function whyNoNamespace(): Promise<string | undefined> {
  const name = `fairlead-${randomInt(2 ** 32)}`;
  try {
    await ip('netns', 'add', name);
    await ip('netns', 'delete', name);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}

/** Opens a namespace from which only two ports of this machine's loopback can be reached. */
export async function openNamespace(o: {
  readonly platformPort: number;
  readonly serverPort: number;
}): Promise<Namespace> {
  const id = randomInt(2 ** 16);
  const name = `fairlead-${id}`;
  // Names of interfaces have 15 characters at most.
  const interfaces = { platform: `flp${id}`, server: `fls${id}` };
  const network = `10.${200 + (id >> 12)}.${id & 0xff}`;
  const links: Link[] = [];
  const inside = ['ip', 'netns', 'exec', name];
  const close = async (): Promise<void> => {
    await Promise.all(links.map((link) => link.close()));
    // The interfaces are removed with it.
    await ip('netns', 'delete', name);
  };
  const connect = async (device: string, first: number, port: number): Promise<string> => {
    const [here, there] = [`${network}.${first}`, `${network}.${first + 1}`];
    await ip('link', 'add', device, 'type', 'veth', 'peer', 'name', device, 'netns', name);
    await ip('address', 'add', `${here}/30`, 'dev', device);
    await ip('link', 'set', device, 'up');
    await ip('-n', name, 'address', 'add', `${there}/30`, 'dev', device);
    await ip('-n', name, 'link', 'set', device, 'up');
    const link = await openLink(port, here);
    links.push(link);
    return `http://${link.host}:${link.port}`;
  };
  await ip('netns', 'add', name);
  try {
    await ip('-n', name, 'link', 'set', 'lo', 'up');
    const platformUrl = await connect(interfaces.platform, 1, o.platformPort);
    const serverUrl = await connect(interfaces.server, 5, o.serverPort);
    return {
      prefix: inside,
      platformUrl,
      serverUrl,
      cut: () => ip('link', 'set', interfaces.platform, 'down'),
      mend: () => ip('link', 'set', interfaces.platform, 'up'),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
