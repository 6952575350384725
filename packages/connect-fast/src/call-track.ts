import { createContextKey, createContextValues } from '@connectrpc/connect';
import type { ContextValues } from '@connectrpc/connect';
import type { Track } from './endpoint.ts';

/** The track of one call that is not simply to stable. */
export interface CallTrack {
  readonly wanted: Track;
  /** The track that it was sent to last. */
  served: Track;
}

const trackKey = createContextKey<CallTrack | undefined>(undefined, { description: 'fairlead track' });

/** Values that make a transport of ours send a call to `track`. */
export function trackValues(track: CallTrack): ContextValues {
  return createContextValues().set(trackKey, track);
}

/** The track of a call with these values; undefined: stable. */
export function trackIn(values: ContextValues | undefined): CallTrack | undefined {
  return values?.get(trackKey);
}
