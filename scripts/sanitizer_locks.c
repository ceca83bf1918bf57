/* Shows the thread sanitizer the slow paths of Swift's Mutex, loaded before the tests with LD_PRELOAD.
 *
 * The fast paths are compiled into the tests and seen. When a lock is taken, the rest happens inside libswiftSynchronization,
 * which is not built with the sanitizer: it cannot see that one thread unlocked before the other went on, and would report
 * everything that a contended mutex guards as a race. The functions below stand before those of the library, call them, and
 * report what they do. In _MutexHandle, the receiver is passed in the context register of Swift's calling convention.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

/* Of the sanitizer, which is in the program. */
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static void *original(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        fprintf(stderr, "sanitizer_locks: this Swift has no %s; its mutex works in another way now.\n", name);
        abort();
    }
    return found;
}

SWIFT void lock_slow(uint32_t thread, CONTEXT void *self) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, CONTEXT void *self) {
    static SWIFT void (*real)(uint32_t, CONTEXT void *);
    if (real == NULL) real = original(LOCK);
    real(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(CONTEXT void *self) __asm__(TRY_LOCK);
SWIFT bool try_lock_slow(CONTEXT void *self) {
    static SWIFT bool (*real)(CONTEXT void *);
    if (real == NULL) real = original(TRY_LOCK);
    bool is_locked = real(self);
    if (is_locked && __tsan_acquire) __tsan_acquire(self);
    return is_locked;
}

SWIFT void unlock_slow(CONTEXT void *self) __asm__(UNLOCK);
SWIFT void unlock_slow(CONTEXT void *self) {
    static SWIFT void (*real)(CONTEXT void *);
    if (real == NULL) real = original(UNLOCK);
    if (__tsan_release) __tsan_release(self);
    real(self);
}
