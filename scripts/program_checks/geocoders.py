"""Asks a running service for places with the clients of other geocoders: geopy's Nominatim, Photon and Pelias.

Part of check-program: `clients` fetches geopy with pip into a folder, `compare` asks.
"""
import importlib
import subprocess
import sys
import urllib.parse

# What is typed, what is found first, and where, in degrees.
FORWARD = [
    ("Atlanta, Georgia", "Atlanta", 33.749, -84.388), ("Mound Bayou MS", "Mound Bayou", 33.878, -90.727),
    ("Paris, TX", "Paris", 33.661, -95.556), ("München", "Munich", 48.137, 11.575), ("Harlem, New York", "Harlem", 40.81, -73.945),
]
# A position, and what its address must hold.
REVERSE = [
    ((33.7557, -84.375), ["Sweet Auburn", "Atlanta", "Fulton County", "Georgia", "United States"]),
    ((48.8597, -113.4360), ["Glacier County", "Montana"]), ((36.1627, -95.9862), ["Greenwood", "Tulsa", "Oklahoma"]),
    ((52.52, 13.405), ["Berlin", "Germany"]),
]
SEA = (-40.0, -120.0)


def clients(folder):
    """geopy's module of geocoders, or None where pip cannot fetch it."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore",
         "--only-binary=:all:", "--target", str(folder), "geopy==2.4.1"],
        capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        print(done.stderr.strip()[-400:], file=sys.stderr)
        return None
    sys.path.insert(0, str(folder))
    return importlib.import_module("geopy.geocoders")


def is_near(place, latitude, longitude):
    return place is not None and abs(place.latitude - latitude) < 0.05 and abs(place.longitude - longitude) < 0.05


def compare(address, geocoders, check):
    host = urllib.parse.urlsplit(address).netloc
    nominatim = geocoders.Nominatim(domain=host + "/nominatim", scheme="http", user_agent="check-program")
    photon = geocoders.Photon(domain=host + "/photon", scheme="http", user_agent="check-program")
    pelias = geocoders.Pelias(host + "/pelias", scheme="http", user_agent="check-program")
    for text, name, latitude, longitude in FORWARD:
        for client in (nominatim, photon, pelias):
            place = client.geocode(text)
            kind = type(client).__name__
            check(is_near(place, latitude, longitude) and name in place.address, f"geopy {kind} finds {text}", place)
            several = client.geocode(text, exactly_one=False)
            check(several and several[0].address == place.address, f"geopy {kind} finds {text} among several", several)
    for position, names in REVERSE:
        for client in (nominatim, photon, pelias):
            place = client.reverse(position)
            told = place and str(place.raw)
            missing = [name for name in names if not told or name not in told]
            check(not missing, f"geopy {type(client).__name__} names {position}", (missing, told))
    for client in (nominatim, photon):
        check(client.reverse(SEA) is None, f"geopy {type(client).__name__} finds no address at sea")
        check(client.geocode("qwxzzy blorp") is None, f"geopy {type(client).__name__} finds no nonsense")
    place = nominatim.geocode({"city": "Tulsa", "state": "Oklahoma"}, addressdetails=True, extratags=True, namedetails=True)
    check(place.raw["address"]["state"] == "Oklahoma" and place.raw["extratags"] and place.raw["namedetails"],
          "geopy Nominatim reads an address in parts", place.raw)
    limited = nominatim.geocode("Springfield", exactly_one=False, limit=3, country_codes="us", viewbox=[(36, -97), (39, -89)],
                                bounded=True)
    check(limited and len(limited) <= 3 and all(36 <= p.latitude <= 39 for p in limited), "geopy Nominatim keeps to a box", limited)
    near = photon.geocode("Springfield", location_bias=(44.05, -123.02), exactly_one=False)
    check(near and is_near(near[0], 44.05, -123.02), "geopy Photon prefers what is near", near and near[:2])
