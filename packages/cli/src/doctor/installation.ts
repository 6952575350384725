import { connect } from 'node:tls';
import { z } from 'zod';
import { isPlain } from '../session/client-settings.ts';
import type { World } from '../world.ts';
import { fail, ok, warn } from './finding.ts';
import type { Finding } from './finding.ts';
import { probe } from './probe.ts';
import type { Probe } from './probe.ts';

const DAY_MS = 86_400_000;
const CERTIFICATE_WARNING_DAYS = 14;
/** A Date header has whole seconds; tokens are accepted with a difference of 60 s. */
const CLOCK_WARNING_S = 30;
const CLOCK_FAILURE_S = 300;

/** Checks the installation without a credential: that it responds, its version, and that its metadata is consistent. */
export async function checkInstallation(
  url: string,
  world: World,
): Promise<{ readonly isReachable: boolean; readonly findings: readonly Finding[] }> {
  const health = await probe(`${url}/healthz`, world);
  if (!health.isAnswered) {
    const hint = 'Is the address right, and is the installation running? (npm start, in a checkout)';
    return { isReachable: false, findings: [fail('reachable', `${url}: ${health.reason}`, hint)] };
  }
  const findings = [
    reachable(url, health),
    await transport(url),
    await ready(url, world),
    await version(url, world),
    clock(health, world),
    ...(await authorization(url, world)),
  ];
  return { isReachable: true, findings };
}

function reachable(url: string, health: Extract<Probe, { isAnswered: true }>): Finding {
  if (health.status === 200) return ok('reachable', `${url} answered within ${health.elapsedMs} ms`);
  const hint = 'Something else may be listening there, or a proxy may be in front of it.';
  return fail('reachable', `${url}/healthz answered ${health.status}`, hint);
}

async function transport(url: string): Promise<Finding> {
  if (isPlain(url)) {
    return warn(
      'transport',
      'http: keys and tokens can be read in transit',
      'Use https outside this machine.',
    );
  }
  if (!url.startsWith('https:')) return ok('transport', 'http, on this machine');
  const until = await certificateEnd(new URL(url));
  if (until === undefined)
    return warn(
      'transport',
      'https, but its certificate could not be read',
      'Inspect it with openssl s_client.',
    );
  const days = Math.floor((until.getTime() - Date.now()) / DAY_MS);
  const message = `https, the certificate expires in ${days} days`;
  return days < CERTIFICATE_WARNING_DAYS ? warn('transport', message, 'Renew it.') : ok('transport', message);
}

async function certificateEnd({ hostname, port }: URL): Promise<Date | undefined> {
  return await new Promise((resolve) => {
    const socket = connect({ host: hostname, port: port === '' ? 443 : Number(port), servername: hostname });
    const end = (date?: Date): void => {
      socket.destroy();
      resolve(date);
    };
    socket.setTimeout(5_000, () => end());
    socket.once('error', () => end());
    socket.once('secureConnect', () => end(new Date(socket.getPeerCertificate().valid_to)));
  });
}

async function ready(url: string, world: World): Promise<Finding> {
  const answer = await probe(`${url}/readyz`, world);
  if (answer.isAnswered && answer.status === 200) return ok('ready', 'the gateway accepts requests');
  const message = answer.isAnswered ? `not ready: /readyz answered ${answer.status}` : answer.reason;
  return fail('ready', message, 'A service or the database is down: see the logs of the gateway.');
}

const openApi = z.object({ info: z.object({ title: z.string(), version: z.string() }) });

async function version(url: string, world: World): Promise<Finding> {
  const answer = await probe(`${url}/openapi.json`, world);
  const document = openApi.safeParse(answer.isAnswered ? answer.body : undefined);
  if (!document.success) return fail('version', 'no OpenAPI document', `Is ${url} a Fairlead installation?`);
  const { title, version: found } = document.data.info;
  if (found === 'v1') return ok('version', `${title} ${found}`);
  return warn(
    'version',
    `${title} ${found}, this command speaks v1`,
    'Use the command that comes with the installation.',
  );
}

function clock(health: Extract<Probe, { isAnswered: true }>, world: World): Finding {
  const date = Date.parse(health.headers.get('date') ?? '');
  if (Number.isNaN(date))
    return warn('clock', 'the installation does not send its time', 'A proxy may remove the Date header.');
  const seconds = Math.round(Math.abs(world.now().getTime() - date) / 1000);
  const message = seconds <= 1 ? 'agrees with this machine' : `differs from this machine by ${seconds} s`;
  const hint = 'Synchronise both clocks by NTP: tokens are valid for a period of time.';
  if (seconds > CLOCK_FAILURE_S) return fail('clock', message, hint);
  return seconds > CLOCK_WARNING_S ? warn('clock', message, hint) : ok('clock', message);
}

const protectedResource = z.object({ resource: z.string(), authorization_servers: z.array(z.url()).min(1) });
const authorizationServer = z.object({
  issuer: z.string(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  device_authorization_endpoint: z.url(),
  code_challenge_methods_supported: z.array(z.string()),
});
const keySet = z.object({ keys: z.array(z.unknown()).min(1) });

async function authorization(url: string, world: World): Promise<Finding[]> {
  const check = 'authorization';
  const hint = 'PUBLIC_URL of the gateway must be the address that clients use.';
  const first = await probe(`${url}/.well-known/oauth-protected-resource`, world);
  const resource = protectedResource.safeParse(first.isAnswered ? first.body : undefined);
  if (!resource.success) return [fail(check, 'does not name the issuer of its tokens', hint)];
  if (resource.data.resource.replace(/\/+$/, '') !== url) {
    return [fail(check, `says that its address is ${resource.data.resource}, not ${url}`, hint)];
  }
  const [issuer = ''] = resource.data.authorization_servers;
  const second = await probe(metadataAddress(issuer), world);
  const server = authorizationServer.safeParse(second.isAnswered ? second.body : undefined);
  if (!server.success) return [fail(check, `${issuer} has no metadata of an authorization server`, hint)];
  if (server.data.issuer !== issuer)
    return [fail(check, `${issuer} calls itself ${server.data.issuer}`, hint)];
  if (!server.data.code_challenge_methods_supported.includes('S256')) {
    return [
      fail(check, `${issuer} does not take PKCE with S256`, 'It is not an authorization server of Fairlead.'),
    ];
  }
  const third = await probe(server.data.jwks_uri, world);
  if (!keySet.safeParse(third.isAnswered ? third.body : undefined).success) {
    return [fail(check, `${issuer} publishes no keys`, 'See the logs of the gateway.')];
  }
  return [ok(check, `${issuer} issues its tokens`)];
}

/** The metadata address of an issuer with a path (RFC 8414, 3.1). */
function metadataAddress(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`;
}
