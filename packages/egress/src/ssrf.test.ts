import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Resolve } from './resolver.ts';
import { get, testEgress, serveBytes, serveHttp } from './testing/open-egress.ts';
import type { TestEgress } from './testing/open-egress.ts';

/** An attacker's name server, which resolves every name to this machine. */
const hostile: Resolve = () => Promise.resolve(['127.0.0.1']);

/** The production policy: no internal address is opened. */
function closedEgress(resolve: Resolve = hostile): TestEgress {
  return testEgress({ allow: [], resolve });
}

/** The expected failure of each kind of call. */
async function failures(egress: TestEgress, url: string): Promise<unknown[]> {
  const results = await Promise.allSettled([egress.request(get(url)), egress.createFetch()(url)]);
  return results.map((result) => (result.status === 'rejected' ? codeOf(result.reason) : 'reached'));
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}

/** Every form of a host that was tried against the checks. `P` is the port of a server on all addresses of this machine. */
const BLOCKED_URLS = [
  // One address, in each spelling that a URL parser or an operating system accepts.
  'http://127.0.0.1:P/',
  'http://127.0.0.1.:P/',
  'http://127.1:P/',
  'http://127.0.1:P/',
  'http://127.255.255.254:P/',
  'http://2130706433:P/',
  'http://0x7f000001:P/',
  'http://0x7f.0.0.1:P/',
  'http://0x7F.0x0.0x0.0x1:P/',
  'http://017700000001:P/',
  'http://0177.0.0.01:P/',
  'http://127.0.0.01:P/',
  'http://0:P/',
  'http://0x0:P/',
  'http://0.0.0.0:P/',
  'http://①②⑦.⓪.⓪.①:P/',
  'http://１２７.０.０.１:P/',
  'http://127。0。0。1:P/',
  'http://127．0．0．1:P/',
  'http://127｡0｡0｡1:P/',
  'http://%31%32%37.0.0.1:P/',
  'http://127%2e0%2e0%2e1:P/',
  // Loopback by name.
  'http://localhost:P/',
  'http://localhost.:P/',
  'http://LOCALHOST:P/',
  'http://a.b.localhost:P/',
  'http://lo%63alhost:P/',
  'http://localhost%2e:P/',
  'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:P/',
  'http://ｌｏｃａｌｈｏｓｔ:P/',
  'http://local\u00ADhost:P/',
  // Characters that a URL parser drops or repairs.
  'http://127.0.\t0.1:P/',
  'http://127.0.\n0.1:P/',
  'ht\r\ntp://127.0.0.1:P/',
  ' http://127.0.0.1:P/ ',
  'http:127.0.0.1:P/',
  'http:/127.0.0.1:P/',
  'http:///127.0.0.1:P/',
  'http:\\\\127.0.0.1:P\\',
  'http://127.0.0.1:P\\@example.com/',
  'http://127.0.0.1:P#@example.com/',
  'http://127.0.0.1:P?@example.com/',
  // IPv6, and IPv4 inside of it.
  'http://[::1]:P/',
  'http://[0:0:0:0:0:0:0:1]:P/',
  'http://[::]:P/',
  'http://[::ffff:127.0.0.1]:P/',
  'http://[::ffff:7f00:1]:P/',
  'http://[0:0:0:0:0:ffff:127.0.0.1]:P/',
  'http://[::ffff:0:127.0.0.1]:P/',
  'http://[::127.0.0.1]:P/',
  'http://[64:ff9b::127.0.0.1]:P/',
  'http://[64:ff9b:1::127.0.0.1]:P/',
  'http://[2002:7f00:1::]:P/',
  'http://[2001:0:7f00:1::]:P/',
  'http://[fe80::1]:P/',
  'http://[fc00::1]:P/',
  'http://[fec0::1]:P/',
  'http://[ff02::1]:P/',
  'http://[2001:db8::1]:P/',
  'http://[3fff::1]:P/',
  'http://[5f00::1]:P/',
  'http://[100::1]:P/',
  // Networks that must not be reachable from outside.
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.0.1/',
  'http://100.64.0.1/',
  'http://192.0.0.1/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://198.18.0.1/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://0xffffffff/',
  // Cloud metadata addresses.
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://0xa9.0xfe.0xa9.0xfe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/',
  'http://[::ffff:169.254.169.254]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[2002:a9fe:a9fe::]/',
  'http://[fe80::a9fe:a9fe]/',
  'http://169.254.170.2/v2/credentials',
  'http://169.254.0.23/',
  'http://168.63.129.16/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://[fd00:ec2::254]/',
  'http://[fd20:ce::254]/',
  // Names that resolve to this machine.
  'http://127.0.0.1.nip.io:P/',
  'http://7f000001.sslip.io:P/',
  'http://localtest.me:P/',
  'http://metadata.google.internal:P/',
  'http://metadata:P/',
  'http://kubernetes.default.svc:P/',
  'http://host.docker.internal:P/',
  'http://xn--vek:P/',
  'http://127.0.0.1,example.com:P/',
  'http://unix:P/var/run/docker.sock',
];

const INVALID_URLS = [
  // Credentials in front of the host, the usual way to hide it.
  'http://example.com@127.0.0.1:P/',
  'http://example.com:80@127.0.0.1:P/',
  'http://127.0.0.1:P@example.com/',
  'http://127.0.0.1%00@example.com/',
  'http://%31:@127.0.0.1:P/',
  // Hosts that no URL can have.
  'http://127.0.0.1%00.example.com:P/',
  'http://127.0.0.1%0d%0a.example.com:P/',
  'http://127.0.0.1%2f@example.com:P/',
  'http://127.0.0.1 example.com:P/',
  'http://[::1%25lo]:P/',
  'http://[fe80::1%25eth0]:P/',
  'http://[127.0.0.1]:P/',
  'http://127.0.0.1:P:80/',
  'http://127.0.0.1:0x50/',
  'http://127.0.0.1:65536/',
  'http://256.0.0.1/',
  'http://1.2.3.4.5/',
  'http://4294967296/',
  'http:///',
  // Not HTTP.
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'unix:/var/run/docker.sock',
  'file:///etc/passwd',
  'ftp://127.0.0.1:P/',
  'gopher://127.0.0.1:P/_GET',
  'ws://127.0.0.1:P/',
  'data:text/plain,x',
  'blob:http://127.0.0.1:P/x',
  'jar:http://127.0.0.1:P/!/',
  'javascript:1',
  '//127.0.0.1:P/',
  '127.0.0.1:P',
];

describe('addresses', () => {
  it.each(BLOCKED_URLS)('%j is blocked', async (template) => {
    const server = await serveHttp((_, response) => void response.end());
    const egress = closedEgress();
    const url = template.replace('P', String(server.port));
    expect(await failures(egress, url)).toEqual(['address_blocked', 'address_blocked']);
    expect(server.connections()).toBe(0);
  });

  it.each(INVALID_URLS)('%j is no address', async (template) => {
    const server = await serveHttp((_, response) => void response.end());
    const egress = closedEgress();
    const url = template.replace('P', String(server.port));
    expect(await failures(egress, url)).toEqual(['invalid_url', 'invalid_url']);
    expect(server.connections()).toBe(0);
  });

  // Hosts as a database driver passes them: no URL parser has processed them.
  it.each([
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '0',
    '１２７.０.０.１',
    '%31%32%37.0.0.1',
    'localhost',
    'LocalHost.',
    'db.localhost',
    '::1',
    '[::1]',
    '::1%lo',
    'fe80::1%eth0',
    '::ffff:127.0.0.1',
    '::ffff:127.0.0.1%1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '/var/run/postgresql',
    '/var/run/postgresql/.s.PGSQL.5432',
    '@abstract',
    '\0abstract',
    '127.0.0.1,example.com',
    'example.com,127.0.0.1',
    'host=127.0.0.1',
    'postgres://127.0.0.1/db',
    'user@127.0.0.1',
    '127.0.0.1:22',
    ' 127.0.0.1',
    '127.0.0.1\n',
    '',
  ])('a socket to %j is blocked', async (host) => {
    const server = await serveHttp((_, response) => void response.end());
    const opening = closedEgress().openSocket(host, server.port, new AbortController().signal);
    await expect(opening).rejects.toMatchObject({ code: 'address_blocked' });
    expect(server.connections()).toBe(0);
  });
});

describe('names', () => {
  it('of several addresses, only the allowed one is connected to', async () => {
    const server = await serveHttp((request, response) => void response.end(request.socket.localAddress));
    const egress = testEgress({
      allow: ['127.0.0.3'],
      resolve: () => Promise.resolve(['127.0.0.1', '::ffff:127.0.0.2', '127.0.0.3', '::1']),
    });
    const url = `http://several.example:${server.port}/`;
    expect(Buffer.from((await egress.request(get(url))).body).toString()).toBe('127.0.0.3');
    expect(await (await egress.createFetch()(url)).text()).toBe('127.0.0.3');
    const socket = await egress.openSocket('several.example', server.port, new AbortController().signal);
    expect(socket.remoteAddress).toBe('127.0.0.3');
    socket.destroy();
  });

  it('a name that is public once is checked again for each connection', async () => {
    const server = await serveHttp((_, response) => response.writeHead(200, { connection: 'close' }).end());
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const egress = testEgress({
      allow: ['127.0.0.1'],
      resolve: () => Promise.resolve(answers.shift() ?? ['127.0.0.2']),
    });
    const url = `http://rebinding.example:${server.port}/`;
    expect((await egress.request(get(url))).status).toBe(200);
    expect(await failures(egress, url)).toEqual(['address_blocked', 'address_blocked']);
    expect(server.connections()).toBe(1);
  });
});

describe('redirects', () => {
  const STATUSES = [301, 302, 303, 307, 308];
  const LOCATIONS = [
    'http://127.0.0.2:P/',
    '//127.0.0.2:P/',
    '\\\\127.0.0.2:P/',
    '/\\127.0.0.2:P/',
    'http://127.1:P/',
    'http://localhost:P/',
    'http://[::1]:P/',
    'http://169.254.169.254/latest/meta-data/',
    'http://user:password@127.0.0.1:P/',
    'https://127.0.0.1:P/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:P/',
    'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
    'data:text/plain,x',
    'javascript:1',
  ];

  it.each(STATUSES.flatMap((status) => LOCATIONS.map((location) => [status, location] as const)))(
    '%i to %s is not followed, not even through a chain',
    async (status, template) => {
      const target = await serveHttp((_, response) => void response.end());
      const location = template.replace('P', String(target.port));
      const server = await serveHttp((request, response) =>
        response.writeHead(status, { location: request.url === '/' ? '/away' : location }).end(),
      );
      const egress = testEgress({ allow: ['127.0.0.0/8', '::1'] });
      const headers = { authorization: 'Bearer secret', cookie: 'a=b' };
      for (const path of ['/', '/away']) {
        const url = server.url + path;
        await expect(egress.request(get(url, { headers }))).rejects.toMatchObject({ code: 'redirect' });
        await expect(egress.createFetch()(url, { headers })).rejects.toMatchObject({ code: 'redirect' });
      }
      expect(target.connections()).toBe(0);
    },
  );
});

describe('other ways around', () => {
  it('an answer that switches protocols or names another place changes nothing', async () => {
    const target = await serveHttp((_, response) => void response.end('target'));
    const server = await serveBytes((socket, path) => {
      if (path === '/upgrade') {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n');
      } else {
        const other = `alt-svc: h2="127.0.0.1:${target.port}", http/1.1=":${target.port}"\r\nrefresh: 0; url=${target.url}\r\nlink: <${target.url}>; rel=preconnect\r\n`;
        socket.write(`HTTP/1.1 200 OK\r\n${other}content-length: 2\r\n\r\nok`);
      }
    });
    const egress = testEgress();
    expect(await failures(egress, `${server.url}/upgrade`)).toEqual(['connection_reset', 'connection_reset']);
    for (let count = 0; count < 2; count += 1) {
      expect((await egress.request(get(`${server.url}/`))).status).toBe(200);
      expect(await (await egress.createFetch()(`${server.url}/`)).text()).toBe('ok');
    }
    expect(target.connections()).toBe(0);
  });

  it('proxies of the environment are ignored', async () => {
    const proxy = await serveBytes((socket) => void socket.end());
    const server = await serveHttp((_, response) => void response.end('direct'));
    const names = ['http_proxy', 'https_proxy', 'all_proxy', 'npm_config_proxy'];
    const env = Object.fromEntries(
      [...names, ...names.map((name) => name.toUpperCase())].map((name) => [name, proxy.url]),
    );
    const script = `
      import { createGuardedEgress } from ${JSON.stringify(new URL('guarded-egress.ts', import.meta.url).href)};
      const log = { warn() {} };
      const request = { method: 'GET', url: '${server.url}/', signal: new AbortController().signal, timeoutMs: 10_000 };
      const open = createGuardedEgress({ allow: ['127.0.0.1'], userAgent: 'x', log });
      const closed = createGuardedEgress({ allow: [], userAgent: 'x', log });
      const reached = [
        Buffer.from((await open.request(request)).body).toString(),
        await (await open.createFetch()(request.url)).text(),
        await closed.request(request).catch((error) => error.code),
        await closed.createFetch()(request.url).catch((error) => error.code),
      ];
      console.log(reached.join());
      process.exit();
    `;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...env, NODE_USE_ENV_PROXY: '1' },
    });
    expect((await run).stdout.trim()).toBe('direct,direct,address_blocked,address_blocked');
    expect(proxy.connections()).toBe(0);
  });
});
