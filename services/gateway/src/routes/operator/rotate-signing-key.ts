import { z } from 'zod';
import { defineRoute } from '../define-route.ts';

const response = z
  .strictObject({ kid: z.string().describe('The id of the next key, as in the published keys.') })
  .meta({ id: 'SigningKeyRotation' });

export const rotateSigningKey = defineRoute(
  {
    operationId: 'rotateSigningKey',
    method: 'post',
    path: '/operator/v1/signing-keys/rotate',
    tags: ['Operator'],
    summary: 'Create the next key that signs access tokens',
    description:
      'The key is published at once and starts to sign ten minutes later; tokens that the old key signed stay valid until they expire. Keys ' +
      'also rotate by age. While a next key is waiting, this returns that key.',
    auth: 'operator',
    services: ['operator'],
    audit: 'before',
    response,
  },
  async ({ ctx, services }) => ({ kid: (await services.operator.rotateSigningKey(ctx, {})).kid }),
);
