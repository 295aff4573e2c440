import { defineConfig } from "vitest/config";

// No test is about time: a busy machine must not fail one.
export default defineConfig({ test: { include: ["tests/**/*.test.ts"], testTimeout: 300_000, hookTimeout: 300_000 } });
