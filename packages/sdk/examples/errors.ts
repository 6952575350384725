import { Fairlead, FairleadConnectionError, FairleadError, FairleadTimeoutError } from '@fairlead/sdk';
import { setting } from './settings.ts';

// A request can fail in three ways, and each has its class.
const client = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: setting('FAIRLEAD_API_KEY') });

function explain(error: unknown): string {
  if (error instanceof FairleadError) {
    const fields = error.details.map(({ field, issue }) => `${field}: ${issue}`).join('; ');
    return `${error.status} ${error.errorCode} (request ${error.requestId}) ${fields || error.message}`;
  }
  if (error instanceof FairleadTimeoutError) return 'No answer in time; it may have taken effect.';
  if (error instanceof FairleadConnectionError) return error.message;
  throw error;
}

// A record that does not exist, or is another account's.
await client.connections.get(2_000_000_000).catch((error: unknown) => console.log(explain(error)));

// An invalid request: details name each field.
await client.connections.list({ top: 1000 }).catch((error: unknown) => console.log(explain(error)));

// An invalid credential.
const stranger = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: 'fairlead_unknown' });
await stranger.auth.whoami().catch((error: unknown) => console.log(explain(error)));

// Nothing listens there.
const nowhere = new Fairlead({ baseUrl: 'http://127.0.0.1:1', apiKey: 'fairlead_unknown', maxRetries: 0 });
await nowhere.auth.whoami().catch((error: unknown) => console.log(explain(error)));
