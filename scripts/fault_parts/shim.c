// Stands between a program and the C library, loaded with LD_PRELOAD, and makes what may happen to a disk, a process or
// a clock happen when it is asked to. Everything is set by environment variables; without them it does nothing.
//
//   FAULTS_PATH=FOLDER        only this folder and what lies in it count; shared memory of SQLite (-shm) never does
//   FAULTS_KILL=N             kill -9 at the N-th change of a file: before it, or in the middle of a write (FAULTS_HALF=1)
//   FAULTS_FAIL=N             the N-th call of the kind FAULTS_KIND (write, sync, truncate, name, any) fails
//   FAULTS_ERRNO=E            with this error (5 EIO, 28 ENOSPC); 0 makes a write stop half-way, as on a full disk
//   FAULTS_LASTING=1          and so does every later call of the kind
//   FAULTS_FROM=FILE          nothing is counted before this file exists
//   FAULTS_HIT=FILE           one line about what was failed or killed is written there
//   FAULTS_RECORD=FILE        every change and every sync is appended there, in order (read by recording.py)
//   FAULTS_CLOCK=FILE         eight bytes: by how many seconds the wall clock is wrong; may change at any time
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) static __typeof__(&name) real_##name; if (!real_##name) real_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

enum { OPEN = 1, WRITE, TRUNCATE, SYNC_BEGINS, SYNC_ENDS, RENAME, UNLINK, LINK, FOLDER, UNKNOWN };
enum { NONE, K_WRITE, K_SYNC, K_TRUNCATE, K_NAME };

static const char *folder, *hit_file, *from_file;
static size_t folder_length;
static long kill_at, fail_at, fail_errno;
static int kills_half, fails_lasting, fail_kind;
static atomic_long changes, matching;
static int record = -1;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static volatile int64_t *clock_offset;

static int open_raw(const char *path, int flags) { return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600); }

static long number(const char *name) { const char *text = getenv(name); return text ? atol(text) : 0; }

__attribute__((constructor)) static void begin(void) {
  folder = getenv("FAULTS_PATH");
  folder_length = folder ? strlen(folder) : 0;
  hit_file = getenv("FAULTS_HIT"), from_file = getenv("FAULTS_FROM");
  kill_at = number("FAULTS_KILL"), kills_half = (int)number("FAULTS_HALF");
  fail_at = number("FAULTS_FAIL"), fail_errno = number("FAULTS_ERRNO"), fails_lasting = (int)number("FAULTS_LASTING");
  const char *kind = getenv("FAULTS_KIND");
  fail_kind = !kind || !strcmp(kind, "any") ? NONE : !strcmp(kind, "write") ? K_WRITE : !strcmp(kind, "sync") ? K_SYNC
            : !strcmp(kind, "truncate") ? K_TRUNCATE : K_NAME;
  const char *file = getenv("FAULTS_RECORD");
  if (file) record = open_raw(file, O_WRONLY | O_CREAT | O_APPEND);
  file = getenv("FAULTS_CLOCK");
  if (file) {
    int descriptor = open_raw(file, O_RDONLY);
    void *page = descriptor < 0 ? MAP_FAILED : mmap(0, 8, PROT_READ, MAP_SHARED, descriptor, 0);
    if (page == MAP_FAILED) abort();
    clock_offset = page;
  }
}

static int counts(const char *path) {
  size_t length = strlen(path);
  if (!folder || strncmp(path, folder, folder_length)) return 0;
  // FOLDER.log beside it, where the program says what failed, does not lie in it.
  if (path[folder_length] && path[folder_length] != '/') return 0;
  return length < 4 || strcmp(path + length - 4, "-shm");
}

// Whether a descriptor is a file or folder that counts, and its path.
static int found(int descriptor, char *path, size_t size) {
  if (!folder) return 0;
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, size - 1);
  if (length <= 0 || path[0] != '/') return 0;
  path[length] = 0;
  return counts(path);
}

// A relative path below a folder's descriptor, as an absolute one.
static void whole(int at, const char *path, char *into, size_t size) {
  if (path[0] == '/') { snprintf(into, size, "%s", path); return; }
  char base[3000] = "";
  if (at == AT_FDCWD) { if (!getcwd(base, sizeof base)) base[0] = 0; }
  else {
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, base, sizeof base - 1);
    base[length < 0 ? 0 : length] = 0;
  }
  snprintf(into, size, "%s/%s", base, path);
}

static void note_hit(const char *what, const char *path) {
  if (!hit_file) return;
  char line[4200];
  int length = snprintf(line, sizeof line, "%s %s\n", what, path);
  int descriptor = open_raw(hit_file, O_WRONLY | O_CREAT | O_APPEND);
  if (descriptor >= 0) { syscall(SYS_write, descriptor, line, length); syscall(SYS_close, descriptor); }
}

static void log_change(int what, uint64_t inode, int64_t offset, const char *path, const void *data, size_t size) {
  if (record < 0) return;
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  struct { uint32_t what, path; int64_t at; uint64_t inode; int64_t offset; uint64_t size; } head =
    { what, (uint32_t)strlen(path), now.tv_sec * 1000000000LL + now.tv_nsec, inode, offset, size };
  struct iovec parts[3] = { { &head, sizeof head }, { (void *)path, head.path }, { (void *)data, size } };
  syscall(SYS_writev, record, parts, 3);
}

static uint64_t inode_of(int descriptor) {
  struct stat about;
  return fstat(descriptor, &about) ? 0 : about.st_ino;
}

// Whether this change is to fail; kills the process if it is the one at which it is to end. With `half` a write may be
// cut, which its caller then does.
static int strikes(int kind, const char *what, const char *path, int *half) {
  if (from_file && (kill_at || fail_at)) {
    int error = errno;
    if (syscall(SYS_faccessat, AT_FDCWD, from_file, F_OK)) { errno = error; return 0; }
    from_file = 0;
  }
  if (kill_at && kind != NONE && atomic_fetch_add(&changes, 1) + 1 == kill_at) {
    note_hit(what, path);
    if (half && kills_half) *half = 1; else syscall(SYS_kill, getpid(), SIGKILL);
  }
  if (fail_at && (fail_kind == NONE || fail_kind == kind)) {
    long now = atomic_fetch_add(&matching, 1) + 1;
    if (now == fail_at || (fails_lasting && now > fail_at)) {
      if (now == fail_at) note_hit(what, path);
      if (fail_errno == 0 && half) { *half = 2; return 0; }
      errno = fail_errno ? (int)fail_errno : ENOSPC;
      return 1;
    }
  }
  return 0;
}

static ssize_t change(int descriptor, const void *data, size_t size, int64_t offset, int isAt) {
  char path[4096];
  if (!found(descriptor, path, sizeof path))
    return isAt ? syscall(SYS_pwrite64, descriptor, data, size, offset) : syscall(SYS_write, descriptor, data, size);
  int half = 0;
  if (strikes(K_WRITE, "write", path, &half)) return -1;
  if (half) size = size > 1024 ? size / 2 & ~511UL : size / 2;
  pthread_mutex_lock(&order);
  if (!isAt) {
    struct stat about;
    offset = fcntl(descriptor, F_GETFL) & O_APPEND && !fstat(descriptor, &about) ? about.st_size : lseek(descriptor, 0, SEEK_CUR);
  }
  ssize_t done = isAt ? syscall(SYS_pwrite64, descriptor, data, size, offset) : syscall(SYS_write, descriptor, data, size);
  if (done > 0) log_change(WRITE, inode_of(descriptor), offset, path, data, (size_t)done);
  pthread_mutex_unlock(&order);
  if (half == 1) syscall(SYS_kill, getpid(), SIGKILL);
  if (half == 2 && done == 0) { errno = ENOSPC; return -1; }
  return done;
}

ssize_t write(int descriptor, const void *data, size_t size) { return change(descriptor, data, size, 0, 0); }
ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) { return change(descriptor, data, size, offset, 1); }
ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset) { return change(descriptor, data, size, offset, 1); }

// Several buffers at once: of files below the folder only the first is written, as the call may do.
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  char path[4096];
  if (!found(descriptor, path, sizeof path)) return syscall(SYS_writev, descriptor, parts, count);
  for (int n = 0; n < count; n++) if (parts[n].iov_len) return change(descriptor, parts[n].iov_base, parts[n].iov_len, 0, 0);
  return 0;
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  for (int n = 0; n < count; n++) if (parts[n].iov_len) return change(descriptor, parts[n].iov_base, parts[n].iov_len, offset, 1);
  return 0;
}

static int cut(int descriptor, int64_t size, int isAllocating) {
  char path[4096];
  int isOurs = found(descriptor, path, sizeof path);
  if (isOurs && strikes(K_TRUNCATE, "truncate", path, 0)) return -1;
  pthread_mutex_lock(&order);
  int done = isAllocating ? 0 : (int)syscall(SYS_ftruncate, descriptor, size);
  if (!done && isOurs) log_change(TRUNCATE, inode_of(descriptor), size, path, "", 0);
  pthread_mutex_unlock(&order);
  return done;
}
int ftruncate(int descriptor, off_t size) { return cut(descriptor, size, 0); }
int ftruncate64(int descriptor, off64_t size) { return cut(descriptor, size, 0); }
int truncate(const char *path, off_t size) {
  int descriptor = open_raw(path, O_WRONLY);
  if (descriptor < 0) return -1;
  int done = cut(descriptor, size, 0), error = errno;
  syscall(SYS_close, descriptor);
  errno = error;
  return done;
}

// Space without content reads as zeros, so that only the size counts.
static int allocate(int descriptor, int mode, int64_t offset, int64_t size) {
  char path[4096];
  int isOurs = found(descriptor, path, sizeof path);
  if (isOurs && strikes(K_TRUNCATE, "allocate", path, 0)) return -1;
  if (syscall(SYS_fallocate, descriptor, mode, offset, size)) return -1;
  struct stat about;
  if (isOurs && mode == 0 && !fstat(descriptor, &about)) log_change(TRUNCATE, about.st_ino, about.st_size, path, "", 0);
  else if (isOurs) log_change(UNKNOWN, 0, 0, path, "", 0);
  return 0;
}
int fallocate(int descriptor, int mode, off_t offset, off_t size) { return allocate(descriptor, mode, offset, size); }
int fallocate64(int descriptor, int mode, off64_t offset, off64_t size) { return allocate(descriptor, mode, offset, size); }
int posix_fallocate(int descriptor, off_t offset, off_t size) { return allocate(descriptor, 0, offset, size) ? errno : 0; }
int posix_fallocate64(int descriptor, off64_t offset, off64_t size) { return allocate(descriptor, 0, offset, size) ? errno : 0; }

static int flush(int descriptor, long call) {
  char path[4096];
  int isOurs = found(descriptor, path, sizeof path);
  if (isOurs && strikes(K_SYNC, "sync", path, 0)) return -1;
  uint64_t inode = isOurs ? inode_of(descriptor) : 0;
  if (isOurs) { pthread_mutex_lock(&order); log_change(SYNC_BEGINS, inode, 0, path, "", 0); pthread_mutex_unlock(&order); }
  int done = (int)syscall(call, descriptor);
  if (isOurs && !done) { pthread_mutex_lock(&order); log_change(SYNC_ENDS, inode, 0, path, "", 0); pthread_mutex_unlock(&order); }
  return done;
}
int fsync(int descriptor) { return flush(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return flush(descriptor, SYS_fdatasync); }

static int open_at(int at, const char *name, int flags, int mode) {
  char path[4096] = "";
  if (folder && flags & (O_CREAT | O_TRUNC)) whole(at, name, path, sizeof path);
  int isOurs = path[0] && counts(path);
  struct stat before;
  int isNew = isOurs && lstat(path, &before);
  if (isNew && strikes(K_NAME, "create", path, 0)) return -1;
  pthread_mutex_lock(&order);
  int descriptor = (int)syscall(SYS_openat, at, name, flags, mode);
  if (descriptor >= 0 && isOurs) {
    log_change(OPEN, inode_of(descriptor), 0, path, "", 0);
    if (flags & O_TRUNC) log_change(TRUNCATE, inode_of(descriptor), 0, path, "", 0);
  }
  pthread_mutex_unlock(&order);
  return descriptor;
}
#define MODE int mode = 0; if (flags & (O_CREAT | __O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, int); va_end(more); }
int open(const char *path, int flags, ...) { MODE return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return open_at(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE return open_at(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE return open_at(at, path, flags, mode); }
int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, (int)mode); }

static void log_names(int what, const char *from, const char *to) { log_change(what, 0, 0, from, to, strlen(to)); }

static int move(int at, const char *from, int toAt, const char *to, unsigned flags, int isLink) {
  char old[4096] = "", new[4096] = "";
  if (folder) whole(at, from, old, sizeof old), whole(toAt, to, new, sizeof new);
  int isOurs = folder && (counts(old) || counts(new));
  if (isOurs && strikes(K_NAME, isLink ? "link" : "rename", new, 0)) return -1;
  pthread_mutex_lock(&order);
  int done = (int)(isLink ? syscall(SYS_linkat, at, from, toAt, to, flags) : syscall(SYS_renameat2, at, from, toAt, to, flags));
  if (!done && isOurs) log_names(isLink ? LINK : RENAME, old, new);
  pthread_mutex_unlock(&order);
  return done;
}
int rename(const char *from, const char *to) { return move(AT_FDCWD, from, AT_FDCWD, to, 0, 0); }
int renameat(int at, const char *from, int toAt, const char *to) { return move(at, from, toAt, to, 0, 0); }
int renameat2(int at, const char *from, int toAt, const char *to, unsigned flags) { return move(at, from, toAt, to, flags, 0); }
int link(const char *from, const char *to) { return move(AT_FDCWD, from, AT_FDCWD, to, 0, 1); }
int linkat(int at, const char *from, int toAt, const char *to, int flags) { return move(at, from, toAt, to, (unsigned)flags, 1); }

static int drop(int at, const char *path, int flags) {
  char old[4096] = "";
  if (folder) whole(at, path, old, sizeof old);
  int isOurs = folder && counts(old);
  if (isOurs && strikes(K_NAME, "remove", old, 0)) return -1;
  pthread_mutex_lock(&order);
  int done = (int)syscall(SYS_unlinkat, at, path, flags);
  if (!done && isOurs) log_names(UNLINK, old, "");
  pthread_mutex_unlock(&order);
  return done;
}
int unlink(const char *path) { return drop(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return drop(at, path, flags); }
int rmdir(const char *path) { return drop(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) { int done = drop(AT_FDCWD, path, 0); return done && errno == EISDIR ? drop(AT_FDCWD, path, AT_REMOVEDIR) : done; }
int mkdir(const char *path, mode_t mode) {
  int done = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode), error = errno;
  char new[4096] = "";
  if (folder) whole(AT_FDCWD, path, new, sizeof new);
  if (!done && folder && counts(new)) { pthread_mutex_lock(&order); log_change(FOLDER, 0, 0, new, "", 0); pthread_mutex_unlock(&order); }
  errno = error;
  return done;
}

// What would change a file past the calls above; a recording that contains one is refused.
ssize_t copy_file_range(int in, off64_t *inAt, int out, off64_t *outAt, size_t size, unsigned flags) {
  char path[4096];
  if (found(out, path, sizeof path)) log_change(UNKNOWN, 0, 0, path, "", 0);
  return syscall(SYS_copy_file_range, in, inAt, out, outAt, size, flags);
}

// The wall clock. Waits until an instant of it are moved back, because the kernel knows nothing of the lie.
static int64_t lie(void) { return clock_offset ? *clock_offset : 0; }
int clock_gettime(clockid_t which, struct timespec *now) {
  REAL(clock_gettime);
  int done = real_clock_gettime(which, now);
  if (!done && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += lie();
  return done;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  REAL(gettimeofday);
  int done = real_gettimeofday(now, zone);
  if (!done) now->tv_sec += lie();
  return done;
}
time_t time(time_t *into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}
static const struct timespec *truth(const struct timespec *until, struct timespec *into) {
  // Seconds since 1970, not since the machine was started.
  if (!lie() || until->tv_sec < 1000000000) return until;
  *into = *until;
  into->tv_sec -= lie();
  return into;
}
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock, const struct timespec *restrict until) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (!real) real = (__typeof__(real))dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  struct timespec at;
  return real(condition, lock, truth(until, &at));
}
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
  REAL(sem_timedwait);
  struct timespec at;
  return real_sem_timedwait(semaphore, truth(until, &at));
}
