/** Prefix of the state of a call that waits for answers; states of MCP servers have another form. */
const PREFIX = 'dev.fairlead/call:';

/** The state with which a client continues a call. */
export function stateOfCall(callId: string): string {
  return PREFIX + callId;
}

/** The call that a client continues; undefined: the state is not ours. */
export function callOfState(state: string | undefined): string | undefined {
  return state?.startsWith(PREFIX) === true ? state.slice(PREFIX.length) : undefined;
}
