/** Has the replicas look for attempts that are due now; otherwise they are found within a second. */
export type WakeAttempts = () => void;
