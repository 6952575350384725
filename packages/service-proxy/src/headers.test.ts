import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { headersForService } from './headers.ts';

it('headers that address the edge or the platform do not reach the service', () => {
  const request = new IncomingMessage(new Socket());
  request.headers = {
    accept: '*/*',
    'x-canary-tools': 'true',
    'x-operator-key': 'k',
    'x-fairlead-caller': 'forged',
  };
  expect(headersForService(request, { 'x-fairlead-caller': 'own' })).toEqual({
    accept: '*/*',
    'x-fairlead-caller': 'own',
  });
});
