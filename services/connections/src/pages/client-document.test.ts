import { expect, test } from 'vitest';
import { callHttp as call } from '@fairlead/service-kit/testing/http';
import { startHttpService } from '@fairlead/service-kit/testing/http';
import { clientDocumentPage } from './client-document.ts';

test('anyone can read who Fairlead is, under the address that it names as its client id', async () => {
  const edge = await startHttpService({ pages: [clientDocumentPage('https://api.example')] });
  const { status, headers, body } = await call(edge, 'GET', '/connect/client.json', {
    headers: {},
  });
  await edge.close();
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('application/json');
  expect(JSON.parse(String(body['text']))).toMatchObject({
    client_id: 'https://api.example/connect/client.json',
    redirect_uris: ['https://api.example/connect/callback/client'],
    token_endpoint_auth_method: 'none',
  });
});
