export * from '../../public/shared/signal.js';
