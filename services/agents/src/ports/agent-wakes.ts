/** Wakes waiters for changes of an agent's tasks, so that they check again. */
export interface AgentWakes {
  /** Wakes the listeners of an agent in every replica. Messages may be lost. */
  wake(agentKey: string): void;
  /** Calls `listener` at each wake-up of the agent, until the returned function is called. */
  onWake(agentKey: string, listener: () => void): () => void;
  /** Longest time to wait before checking without a wake-up. */
  lookAgainMs(): number;
}
