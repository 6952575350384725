import { expect, it } from 'vitest';
import {
  testCall,
  testCredential,
  testMethod,
  testOptions,
  testRequest,
  testTool,
} from '../testing/calls.ts';
import { httpExecution, testRuntime, testVendor } from '../testing/vendor.ts';

const method = testMethod({ type: 'bearer', token: '{{field.token}}' });
const credential = testCredential({ token: 's3cr3t' }, { secrets: ['s3cr3t'] });

async function download(location: (storage: string) => string, followsElsewhere: boolean) {
  const { server: storage } = await testVendor(() => ({
    headers: { 'content-type': 'application/pdf' },
    body: '%PDF',
  }));
  const { connector, server } = await testVendor(() => ({
    status: 302,
    headers: { location: location(storage.url) },
    body: '',
  }));
  const request = { ...testRequest('/files/1/content'), ...(followsElsewhere && { followsElsewhere }) };
  const tool = testTool(httpExecution({ request, response: { type: 'object', pointer: '' } }));
  const outcome = await testRuntime().execute(
    testCall(tool, { connector, method, credential }),
    testOptions(),
  );
  return { outcome, vendor: server.requests, storage: storage.requests };
}

it('a download is followed to another origin, without the credential', async () => {
  const { outcome, vendor, storage } = await download((url) => `${url}/signed?sig=1`, true);
  expect(outcome).toMatchObject({ output: { status: 200, body: { base64: 'JVBERg==' } } });
  expect(vendor[0]?.headers['authorization']).toBe('Bearer s3cr3t');
  expect(storage).toHaveLength(1);
  expect(storage[0]?.headers).not.toHaveProperty('authorization');
});

it('no redirect leaves the origin unless the tool says so, nor to an address with a user', async () => {
  for (const [location, followsElsewhere] of [
    [(url: string) => url, false],
    [(url: string) => url.replace('://', '://user:pw@'), true],
    [() => 'file:///etc/passwd', true],
  ] as const) {
    const { outcome, storage } = await download(location, followsElsewhere);
    expect(outcome.isSuccess).toBe(false);
    expect(storage).toEqual([]);
  }
});
