import { z } from 'zod';
import { defineRoute } from '../define-route.ts';

const response = z
  .strictObject({ kid: z.string().describe('The id of the key that comes, as the published keys name it.') })
  .meta({ id: 'SigningKeyRotation' });

/** POST /operator/v1/signing-keys/rotate */
export const rotateSigningKey = defineRoute(
  {
    operationId: 'rotateSigningKey',
    method: 'post',
    path: '/operator/v1/signing-keys/rotate',
    tags: ['Operator'],
    summary: 'Make the next key that signs access tokens',
    description:
      'It is published at once and signs ten minutes later; what the old one signed stays valid until it expires. Keys ' +
      'rotate by their age too. While one is on its way, this answers that one.',
    auth: 'operator',
    services: ['oauth'],
    audit: 'before',
    response,
    errors: [],
  },
  async ({ services }) => ({ kid: await services.oauth.rotate() }),
);
