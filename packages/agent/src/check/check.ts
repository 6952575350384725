import { lookup } from 'node:dns/promises';
import net from 'node:net';
import tls from 'node:tls';
import { CHANNEL_PATH, INSTANCE_HEADER } from '@fairlead/agent-channel/channel';
import { normalizeHost } from '@fairlead/egress/address';
import { z } from 'zod';
import { trustAuthorities, USER_AGENT } from '../app.ts';
import { randomInstance } from '../channel/agent-channel.ts';
import { describeFailure } from '../channel/channel-errors.ts';
import { createTransport } from '../channel/transport.ts';
import type { AgentConfig } from '../config/config.ts';
import type { Proxy } from '../config/proxy.ts';

const HOP_TIMEOUT_MS = 10_000;

/** Thrown by a failing hop, with advice for people as its message. */
class HopFailure extends Error {
  override readonly name = 'HopFailure';
}

/**
 * Tests the connection to the platform hop by hop: DNS, proxy, TLS certificate, token. Writes a line for each, stops
 * at the first failure, and changes nothing. Returns whether all work.
 */
export async function checkConnection(config: AgentConfig, write: (text: string) => void): Promise<boolean> {
  const { url, proxy } = config;
  const target = new URL(url);
  const entry = proxy?.url ?? target;
  trustAuthorities(config.extraCertificates);
  write(`ok    configuration  ${config.profiles.size} profiles\n`);
  const sockets: net.Socket[] = [];
  const keep = <S extends net.Socket>(socket: S): S => {
    sockets.push(socket);
    return socket;
  };
  const hop = async <T>(
    name: string,
    examine: () => Promise<readonly [words: string, value: T]>,
  ): Promise<T> => {
    try {
      const [words, value] = await examine();
      write(`ok    ${name.padEnd(13)}  ${words}\n`);
      return value;
    } catch (error) {
      write(`FAIL  ${name.padEnd(13)}  ${describeFailure(error)}\n`);
      throw error;
    }
  };
  try {
    await hop('DNS', () => resolve(entry));
    const socket = await hop(proxy === undefined ? 'TCP' : 'TCP to proxy', async () => {
      const connected = keep(await connect(entry));
      return [`${connected.remoteAddress}:${connected.remotePort}`, connected] as const;
    });
    const raw = proxy === undefined ? socket : await hop('proxy', () => tunnel(proxy, socket, target, keep));
    if (target.protocol === 'https:') await hop('TLS', () => secured(raw, target, keep));
    await hop('token', () => pollOnce(config));
    return true;
  } catch {
    return false;
  } finally {
    // Destroys the outer sockets first: Node crashes if a socket is destroyed below its TLS socket.
    for (const socket of sockets.toReversed()) socket.destroy();
  }
}

async function resolve({ hostname }: URL): Promise<readonly [string, undefined]> {
  const host = normalizeHost(hostname);
  try {
    const found = await lookup(host, { all: true });
    return [`${host} is ${found.map(({ address }) => address).join(', ')}`, undefined];
  } catch (error) {
    throw new HopFailure(
      `the name ${host} is not known here: check the address, and the name servers of this machine`,
      {
        cause: error,
      },
    );
  }
}

function connect(url: URL): Promise<net.Socket> {
  const port = portOf(url);
  const host = normalizeHost(url.hostname);
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, autoSelectFamily: true });
    socket.setTimeout(HOP_TIMEOUT_MS, () => socket.destroy(new Error('no answer in time')));
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) =>
      reject(new HopFailure(`no connection to ${host}:${port}: is a firewall on the way?`, { cause: error })),
    );
  });
}

/** Opens a tunnel to the target. */
async function tunnel(
  proxy: Proxy,
  socket: net.Socket,
  target: URL,
  keep: <S extends net.Socket>(socket: S) => S,
): Promise<readonly [string, net.Socket]> {
  const way = proxy.url.protocol === 'https:' ? (await secured(socket, proxy.url, keep))[1] : socket;
  const authority = `${target.hostname}:${portOf(target)}`;
  const authorization =
    proxy.authorization === undefined ? '' : `proxy-authorization: ${proxy.authorization}\r\n`;
  way.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${authorization}\r\n`);
  const status = await statusOfTunnel(way);
  if (status === 200) return [`${proxy.url.host} opens a tunnel to ${authority}`, way];
  if (status === 407) {
    const words =
      proxy.authorization === undefined
        ? 'asks for a user and a password'
        : 'refuses the user or the password';
    throw new HopFailure(`${proxy.url.host} ${words} (407): give them in the address of the proxy`);
  }
  throw new HopFailure(
    `${proxy.url.host} refuses a tunnel to ${authority} (${status}): it has to allow that`,
  );
}

function statusOfTunnel(way: net.Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = (error?: Error): void =>
      reject(new HopFailure('the proxy closed the connection', error === undefined ? {} : { cause: error }));
    const read = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (!text.includes('\r\n\r\n') && text.length < 64 * 1024) return;
      way.off('data', read).off('error', fail).off('close', fail);
      // From here on, the next hop reads the socket.
      way.pause();
      resolve(Number(/^HTTP\/1\.\d (\d{3})/.exec(text)?.[1] ?? 0));
    };
    way.on('data', read).once('error', fail).once('close', fail);
  });
}

/** Does the TLS handshake. */
function secured(
  socket: net.Socket,
  { hostname, host }: URL,
  keep: <S extends net.Socket>(socket: S) => S,
): Promise<readonly [string, tls.TLSSocket]> {
  const name = normalizeHost(hostname);
  return new Promise((resolve, reject) => {
    const connection = keep(
      tls.connect({
        socket,
        host: name,
        ...(net.isIP(name) === 0 && { servername: name }),
        rejectUnauthorized: false,
      }),
    );
    connection.once('error', (error) =>
      reject(new HopFailure(`${host} does not speak TLS`, { cause: error })),
    );
    connection.once('secureConnect', () => {
      const certificate = connection.getPeerCertificate();
      const issuer = issuerOf(certificate);
      if (connection.authorized) resolve([`${host} has a certificate issued by ${issuer}`, connection]);
      else {
        const reason = String(connection.authorizationError);
        const advice = `if ${issuer} is your company's authority, give its certificate as caFile`;
        reject(
          new HopFailure(
            `the certificate of ${host}, issued by ${issuer}, is not trusted (${reason}): ${advice}`,
          ),
        );
      }
    });
  });
}

function issuerOf({ issuer }: { readonly issuer?: tls.Certificate }): string {
  const name = issuer?.O ?? issuer?.CN;
  return [name].flat().join(', ') || 'nobody';
}

const whoami = z.object({ agentId: z.int(), name: z.string(), applicationSlug: z.string() });
const envelope = z.object({ errorCode: z.string(), message: z.string() });

/** Asks the platform which agent the token belongs to. */
async function pollOnce({ url, token, proxy }: AgentConfig): Promise<readonly [string, undefined]> {
  const transport = createTransport(proxy);
  const { origin, pathname } = new URL(url);
  try {
    const { statusCode, body } = await transport.request({
      origin,
      path: `${pathname.replace(/\/$/, '')}${CHANNEL_PATH}/whoami`,
      method: 'GET',
      headers: {
        authorization: `Bearer ${token.reveal()}`,
        'user-agent': USER_AGENT,
        [INSTANCE_HEADER]: randomInstance(),
      },
      signal: AbortSignal.timeout(HOP_TIMEOUT_MS),
    });
    const parsed = parsedJson(await body.text());
    const agent = whoami.safeParse(parsed);
    if (statusCode === 200 && agent.success)
      return [
        `of the agent ${agent.data.name} (${agent.data.agentId}, ${agent.data.applicationSlug})`,
        undefined,
      ];
    const refusal = envelope.safeParse(parsed);
    if (statusCode === 401 && refusal.success)
      throw new HopFailure(
        'the token belongs to no agent: it was replaced, or belongs to another instance of the platform',
      );
    const words = refusal.success
      ? `: ${refusal.data.message}`
      : ', which is no answer of the platform: check the address';
    throw new HopFailure(`status ${statusCode}${words}`);
  } finally {
    await transport.destroy();
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}
