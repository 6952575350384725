import { createContextKey, createContextValues } from '@connectrpc/connect';
import type { ContextValues } from '@connectrpc/connect';
import type { Track } from './endpoint.ts';

/** The requested track of a call. */
export interface CallTrack {
  readonly wanted: Track;
  /** The track that the call was last sent to. */
  served: Track;
}

const trackKey = createContextKey<CallTrack | undefined>(undefined, { description: 'fairlead track' });

/** Context values that make our transports send a call to `track`. */
export function trackValues(track: CallTrack): ContextValues {
  return createContextValues().set(trackKey, track);
}

/** The track in these context values; undefined: stable. */
export function trackIn(values: ContextValues | undefined): CallTrack | undefined {
  return values?.get(trackKey);
}
