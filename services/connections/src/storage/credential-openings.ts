import type { RequestContext } from '@fairlead/service-kit/context/context';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { OpeningPurpose } from '../ports/credential-store.ts';

const openings = registry.counter({
  name: 'credential_openings_total',
  help: 'Opened credentials, by purpose; failed: those that could not be opened.',
  labels: ['purpose', 'outcome'],
});

/** The owner and purpose of an opened credential. For a sign-in there is no id, because its state is a secret. */
export interface Opening {
  readonly purpose: OpeningPurpose;
  readonly accountId: string;
  readonly connectionId?: number;
  readonly authProviderId?: number;
}

/**
 * Opens a credential with `open`, writes a log line with the request's id, and counts it. Not in the audit log, because each tool call
 * opens a credential.
 */
export async function recordOpening<T>(
  ctx: RequestContext,
  opening: Opening,
  open: () => Promise<T>,
): Promise<T> {
  try {
    const opened = await open();
    openings.series(opening.purpose, 'ok').add();
    ctx.log.info(opening, 'opened a credential');
    return opened;
  } catch (error) {
    openings.series(opening.purpose, 'failed').add();
    ctx.log.error({ err: error, ...opening }, 'could not open a credential');
    throw error;
  }
}
