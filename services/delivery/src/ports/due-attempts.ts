/** Makes the replicas check for due attempts now; otherwise they find them within a second. */
export type WakeAttempts = () => void;
