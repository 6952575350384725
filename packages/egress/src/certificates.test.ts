import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { expect, it, onTestFinished } from 'vitest';
import { get, testEgress, serveHttps } from './testing/open-egress.ts';

const HOST = 'receiver.example';
const DAY_MS = 24 * 60 * 60 * 1_000;

/** A server on this machine whose certificate comes from an authority that is trusted until the test ends. */
async function serveAs(host: string, { validForMs = DAY_MS, isTrusted = true } = {}) {
  const { private: key, cert } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 2 * DAY_MS),
    notAfterDate: new Date(Date.now() + validForMs),
  });
  const authorities = getCACertificates('default');
  onTestFinished(() => setDefaultCACertificates(authorities));
  if (isTrusted) setDefaultCACertificates([...authorities, cert]);
  return serveHttps({ key, cert }, (_, response) => response.end('reached'));
}

/** An egress for which every name resolves to this machine. */
const egress = () => testEgress({ resolve: () => Promise.resolve(['127.0.0.1']) });

it('a certificate of the host is accepted', async () => {
  const { port } = await serveAs(HOST);
  const { body } = await egress().request(get(`https://${HOST}:${port}/`));
  expect(Buffer.from(body).toString('utf8')).toBe('reached');
});

it.each([
  ['that has expired', () => serveAs(HOST, { validForMs: -DAY_MS })],
  ['of another host', () => serveAs('other.example')],
  ['of nobody who is trusted', () => serveAs(HOST, { isTrusted: false })],
])('a certificate %s fails the call', async (_, serve) => {
  const { port } = await serve();
  await expect(egress().request(get(`https://${HOST}:${port}/`))).rejects.toMatchObject({ code: 'tls' });
  await expect(egress().createFetch()(`https://${HOST}:${port}/`)).rejects.toMatchObject({ code: 'tls' });
});
