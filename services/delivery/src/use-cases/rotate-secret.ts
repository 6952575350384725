import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Secret } from '@fairlead/service-kit/secret';
import type { Destination } from '../domain/destination.ts';
import type { AwaitCachedReads } from '../ports/cached-reads.ts';
import type { DestinationStore } from '../ports/destination-store.ts';
import { newSigningSecret } from '@fairlead/webhook-signature/signing-secret';

interface RotateSecretDeps {
  readonly destinations: Pick<DestinationStore, 'replaceSecret'>;
  readonly awaitCachedReads: AwaitCachedReads;
  readonly clock: Clock;
}

/** Replaces the signing secret; afterwards no request begins with the former one. NOT_FOUND if there is none. */
export async function rotateSecret(
  { destinations, awaitCachedReads, clock }: RotateSecretDeps,
  ctx: RequestContext,
  id: string,
): Promise<{ readonly destination: Destination; readonly secret: Secret }> {
  const secret = newSigningSecret();
  const destination = await destinations.replaceSecret(ctx, accountOf(ctx), id, secret, clock.now());
  if (destination === undefined) throw notFound('destination');
  await awaitCachedReads();
  return { destination, secret };
}
