import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { prefixedId } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { checkContent, MAX_DESTINATIONS } from '../domain/destination.ts';
import type { Destination, DestinationContent } from '../domain/destination.ts';
import type { DestinationStore } from '../ports/destination-store.ts';
import { newSigningSecret } from '@fairlead/webhook-signature/signing-secret';

interface CreateDestinationDeps {
  readonly destinations: Pick<DestinationStore, 'insert'>;
  readonly clock: Clock;
}

/**
 * Stores a destination with a new signing secret and returns both. VALIDATION_ERROR for invalid members, CONFLICT if the account has
 * MAX_DESTINATIONS; then nothing is stored.
 */
export async function createDestination(
  { destinations, clock }: CreateDestinationDeps,
  ctx: RequestContext,
  sentContent: DestinationContent,
): Promise<{ readonly destination: Destination; readonly secret: Secret }> {
  const { headers, isEnabled, ...content } = checkContent(sentContent);
  const now = clock.now();
  const secret = newSigningSecret();
  const destination: Destination = {
    id: prefixedId('dst'),
    ...content,
    headerNames: Object.keys(headers),
    disabledReason: isEnabled ? null : 'owner',
    consecutiveFailures: 0,
    createdAt: now,
    updatedAt: now,
  };
  const stored = { ...destination, secret, headers: new Secret(headers) };
  if ((await destinations.insert(ctx, accountOf(ctx), stored, MAX_DESTINATIONS)) === 'tooMany')
    throw new ApiError('CONFLICT', `An account has at most ${String(MAX_DESTINATIONS)} destinations.`);
  return { destination, secret };
}
