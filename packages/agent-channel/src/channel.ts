/** Path of the channel on the gateway. An incompatible change gets another path. */
export const CHANNEL_PATH = '/agent/v1';

/** Header with the random id of the agent's process: 22 base64url characters. */
export const INSTANCE_HEADER = 'fairlead-agent-instance';

/** Form of the value of INSTANCE_HEADER. */
export const INSTANCE_FORM = /^[A-Za-z0-9_-]{22}$/;

/** Maximum wait of a poll. It is below the idle timeouts of common proxies. */
export const MAX_POLL_MS = 25_000;

/** Maximum bytes of a call's output in JSON; above it, the call fails. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Maximum bytes of a call's outcome. A longer upload is refused while it is being sent. */
export const MAX_OUTCOME_BYTES = MAX_OUTPUT_BYTES + 64 * 1024;

/** Maximum tasks that a process has at the same time. */
export const MAX_TASKS_IN_HAND = 300;
