import { randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import type { WebhookSecrets } from '../ports/webhook-store.ts';

/** 190 bits. */
const TOKEN_CHARACTERS = 32;
const SECRET_CHARACTERS = 40;

/** Generates the token and the signing secret of a new address. */
export function createWebhookSecrets(): WebhookSecrets {
  return {
    token: new Secret(randomBase62(TOKEN_CHARACTERS)),
    secret: new Secret(randomBase62(SECRET_CHARACTERS)),
  };
}
